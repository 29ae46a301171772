load ../helper

# Times and rates, as people read them.

@test "times of all lengths, rates, and what cannot be told yet" { units_test human; }
