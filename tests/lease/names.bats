load ../helper

# Names in the directory of a dispenser.

@test "each name is taken for what it is, and no other is taken for one" { units_test names; }
