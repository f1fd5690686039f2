#!/bin/sh
# The queue of this workspace, by Sluice. ./scheduler.sh help lists the commands.
sluice=${SLUICE:-@SLUICE@}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
if [ ! -x "$sluice" ]; then
  echo "scheduler.sh: error: there is no Sluice ($sluice)." >&2
  echo "  Maybe set SLUICE to its launcher, or run its sweep setup --force on this folder again." >&2
  exit 2
fi
case "${1:-help}" in
  help | -h | --help) exec "$sluice" sweep --help ;;
esac
command=$1
shift
exec "$sluice" sweep "$command" --config "$here/scheduler_config.yml" --workspace "$here" "$@"
