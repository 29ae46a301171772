load ../helper
load ../helpers/jobplot

# jobplot: how many jobs ran at once, below the rows of the picture.

# The picture is 1116 wide: the end is exactly at the end of the last column.

# profile LINE... -- the profile's path, for a log of these lines and of two jobs on two slots
profile()
{
	log_of '1 1 0 11.16 0 0 whole' '2 2 0 5.58 0 0 half' "$@"
	jobplot -o log.svg log
	grep -o '<path class="profile"[^>]*>' log.svg
}

@test "jobs that take no time add nothing, be it at the very end" {
	profile >wanted
	same 3 "$(grep -o V wanted | wc -l)" # to two, to one, and down again
	profile '3 2 7 0 0 0 between' '4 2 11.16 0 0 0 last' | diff wanted -
}
