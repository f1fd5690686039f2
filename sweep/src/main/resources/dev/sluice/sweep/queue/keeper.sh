# The keeper of one attempt: waits for an order, claims the attempt, runs its command, leaves its
# exit status. Argument: the folder of the attempts. The order is one line with the attempt's name,
# whose order file calls keep. Where the scheduler ends first, the line never ends, nor is it obeyed.

read -r stat </proc/$$/stat
read -r boot </proc/sys/kernel/random/boot_id
field_20() { ticks=${20}; }
# shellcheck disable=SC2086 # the fields are words
field_20 ${stat##*) }

# Arguments: prefix of the attempt's files, log, first line for the log, working folder, then the
# command.
keep() {
  attempt=$1 log=$2 stamp=$3
  cd "$4" || exit 125
  shift 4

  # Whoever holds this end lives: the scheduler reads the other one. The command inherits it.
  exec 9<>"$attempt.fifo" || exit 125

  # Nothing ends the keeper but SIGKILL: it must tell how the command ended.
  trap : HUP INT TERM

  set -C # a file that stands is not written to: one claim succeeds
  printf '%s %s %s\n' "$$" "$ticks" "$boot" 2>/dev/null >"$attempt.claim" || exit 0
  set +C
  printf 'claimed\n' >&9

  true 2>/dev/null >>"$log" || log=/dev/null
  exec </dev/null >>"$log" 2>&1
  printf '%s\n' "$stamp"
  "$@"
  status=$?
  printf 'ended %s\n' "$status" >&9
  # The line break is its end: a status without one is none. A rename would be one more program,
  # started while the next task's is.
  printf '%s\n' "$status" >"$attempt.exit"
  exit
}

IFS= read -r order || exit 0
. "$1/$order.order"
