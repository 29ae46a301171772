# bare.sh TOKENS JOBS -- the loop without a bound
job () { :; }
id=0
while [ "$id" -lt "$2" ]; do
    job "$id" &
    id=$((id + 1))
done
wait
