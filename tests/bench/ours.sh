# ours.sh TOKENS JOBS
. jobctl.sh
job () { :; }
jobctrl "$1" | process "$2"
