load ../helper

# Input, a line at a time.

@test "lines are read as they arrive, whatever errno was, and a directory is an error" { units_test feed; }
