# Connections of batches, to a server that is an imitation; the real one is in
# whole/postgres.bats.

# What a query writes into the file "log": a test may have another idea.
shown='$JOBCTL_SLOT $answer'

# imitation -- makes "server", see scripts/server.sh, and "query", to be read by a script,
# which has the function that asks it
imitation()
{
	ln -s "$top/tests/scripts/server.sh" server
	cat >query <<-S
	query () { echo "\$1" >&6; IFS= read -r answer <&7 || return 7; echo "$shown" >>log; }
	S
}

batch_on_server() { imitation; batch "$1"; }
