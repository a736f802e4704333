// Runs each snippet as the TypeScript compiler translates it, in node. Reads [[title, source], ...] from stdin, writes
// {title: {stdout, value}} to stdout. First argument: the folder of the package `typescript`.
'use strict'
const vm = require('node:vm')
const ts = require(require('node:path').resolve(process.argv[2]))

const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    useDefineForClassFields: true,
    alwaysStrict: false,
    ignoreDeprecations: '5.0',
}

async function run(source) {
    const { outputText } = ts.transpileModule(source, { compilerOptions, fileName: 'cell.ts' })
    let stdout = ''
    const context = vm.createContext({ exports: {} })
    context.console = { log: text => { stdout += text + '\n' } }
    const value = await vm.runInContext(outputText, context)
    return { stdout, value: value === undefined ? null : JSON.parse(JSON.stringify(value)) }
}

async function main() {
    const snippets = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
    const expected = {}
    for (const [title, source] of snippets) {
        try {
            expected[title] = await run(source)
        } catch (error) {
            console.error(`${title}: ${error}`)
            process.exitCode = 1
        }
    }
    process.stdout.write(JSON.stringify(expected))
}
main()
