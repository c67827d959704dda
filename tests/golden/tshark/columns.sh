#!/bin/sh
# What tshark 4.0 prints of the fields in columns.txt, for each sample that is named: columns-SAMPLE.tsv beside this file.
cd "$(dirname "$0")/../../.." || exit 1
here=tests/golden/tshark
for sample in layers.pcap linux-cooked.pcap linux-cooked-v2.pcap null-loopback.pcap pipboy.pcap pipboy-damaged.pcap pipboy-ipv6.pcapng vscp.pcap xfire.pcap; do
    # shellcheck disable=SC2046 # the names are words
    TZ=UTC tshark -n -r "samples/$sample" -T fields $(sed 's/^/-e /' $here/columns.txt) >"$here/columns-$sample.tsv" 2>/dev/null
done
