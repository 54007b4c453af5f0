#!/bin/sh
# Compares the results of parts of a history in a folder, named by their first epochs: <epoch>.json. Prints every flaw, the
# first line of each part that does not begin with the last state of the previous part, the number of parts that reached
# their end, and the epoch and state root at the end of the last part. Exits with 0 if there is no problem.
set -eu
cd "${1:?expected the folder with the results}"
awk -F '[":,{}]+' '
  FNR == 1 && NR > 1 && $5 " " $7 != end || $3 == "flaw" { print FILENAME ": " $0; bad = 1 }
  $3 == "end" { end = $5 " " $7; ends += 1 }
  END { print ends + 0 " of " ARGC - 1 " parts ended, with " end; exit bad || ends < ARGC - 1 }
' $(ls | grep '^[0-9]*\.json$' | sort -n)
