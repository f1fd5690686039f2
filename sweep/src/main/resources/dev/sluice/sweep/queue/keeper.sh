# The keeper of one attempt: claims it, runs its command, leaves its exit status. Arguments: prefix
# of the attempt's files, log, first line for the log, then the command.
attempt=$1 log=$2 stamp=$3
shift 3

read -r stat </proc/$$/stat
read -r boot </proc/sys/kernel/random/boot_id
field_20() { ticks=${20}; }
# shellcheck disable=SC2086 # the fields are words
field_20 ${stat##*) }

# Nothing ends the keeper but SIGKILL: it must tell how the command ended.
trap : HUP INT TERM

set -C # a file that stands is not written to: one claim succeeds
printf '%s %s %s\n' "$$" "$ticks" "$boot" 2>/dev/null >"$attempt.claim" || exit 0
set +C

true 2>/dev/null >>"$log" || log=/dev/null
exec </dev/null >>"$log" 2>&1
printf '%s\n' "$stamp"
"$@"
status=$?
# The line break is its end: a status without one is none, as on a full disk, where room is waited for.
until printf '%s\n' "$status" 2>/dev/null >"$attempt.exit"; do
  [ -e "$attempt.claim" ] || exit
  sleep 1
done
