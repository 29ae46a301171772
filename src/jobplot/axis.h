/* Ticks of an axis of time. */

/* The least distance between two ticks, of those that people count in, with which this many
   microseconds have at most so many. */
double axis_step(double span, int most);
