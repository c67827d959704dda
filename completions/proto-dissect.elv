
set edit:completion:arg-completer[proto-dissect] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) PROTO_DISSECT_COMPLETE="elvish" proto-dissect -- $@words) | to-lines
}

