# awk -v jobs=N -v slots=N -v bad=N -f joblog.awk -- a log of that many jobs: each slot always has
# one, of 10 ms to 1 s; one of bad jobs fails, in turn by status 3 and signal 9
BEGIN {
    OFS = "\t"
    print "Seq", "Host", "Starttime", "JobRuntime", "Send", "Receive", "Exitval", "Signal",
        "Command"
    seed = 42
    for (n = 1; n <= jobs; n++) {
        slot = (n - 1) % slots + 1
        seed = (seed * 16807) % 2147483647
        time = 0.01 + seed % 990 / 1000
        fails = bad && n % bad == 0
        kills = fails && n / bad % 2 == 0
        print n, slot, sprintf("%.3f", 1700000000 + at[slot]), sprintf("%.3f", time), 0, 0,
            fails && !kills ? 3 : 0, kills ? 9 : 0, "work " n
        at[slot] += time
    }
}
