// mechanism: require
// kind: end
// ends: error

require('child_process')
