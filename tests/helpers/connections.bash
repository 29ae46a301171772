# Connections of batches, to an imitation of a server; the real one is in
# whole/postgres.bats.

# The line that a query writes into the file "log"; a test may redefine this.
shown='$JOBCTL_SLOT $answer'

# imitation -- makes "server", see scripts/server.sh, and "query", to be read by a script: the
# function that asks the server
imitation()
{
	ln -s "$top/tests/scripts/server.sh" server
	cat >query <<-S
	query () { echo "\$1" >&6; IFS= read -r answer <&7 || return 7; echo "$shown" >>log; }
	S
}

batch_on_server() { imitation; batch "$1"; }
