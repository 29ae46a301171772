load /tmp/h/share1/tests/helper
@test "runs" { :; }
