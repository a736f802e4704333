// mechanism: value that is a revoked Proxy
// kind: end
// ends: value error

const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy
