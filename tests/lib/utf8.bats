load ../helper

# Characters of UTF-8.

@test "characters of one to four bytes, and what is none; text is cut between them" { units_test utf8; }
