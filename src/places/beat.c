#include "beat.h"

enum { CERTAIN = 6 /* session.h says why */ };

long long
beat_patience(long beat, long long grace)
{
	return 1000LL * CERTAIN * beat + grace;
}
