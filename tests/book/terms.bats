load ../helper

# The terms on which a batch goes on.

@test "--halt: each form, and when it is time; a part of the jobs counts from three on" { units_test halt; }

@test "--retries: the pause doubles up to an hour, a job may say another, and chance adds up to half" { units_test retry; }
