# mechanism: SystemExit
# kind: end
# ends: error

raise SystemExit
