# mechanism: tabs
# kind: memory
# ends: error

'\t'.expandtabs(1 << 30)
