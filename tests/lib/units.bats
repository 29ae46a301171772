load ../helper

# Children, FIFOs and others that can be checked without a program around them.

@test "a child that is stopped is ended all the same" { units_test child; }

@test "a name that is no FIFO is refused, and no descriptor stays open" { units_test fifo; }

@test "a pipe that finds no numbers leaves nothing open" { units_test pipe; }
