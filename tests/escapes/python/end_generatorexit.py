# mechanism: GeneratorExit
# kind: end
# ends: error

raise GeneratorExit
