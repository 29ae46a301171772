# batch.sh TOKENS JOBS
. jobctl.sh
job () { :; }
jobctl_open "$1"
id=0
while [ "$id" -lt "$2" ]; do
    jobctl_run job "$id"
    id=$((id + 1))
done
jobctl_close
