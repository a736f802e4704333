['日本語テキスト', 'ééé', '😀😀', 'abc', '中', 'とても長い', 'x', 'y']
// --- cell
console.log(['a\tb', 'c\\d', "it's"], { 'quoted key': "double \" quote" })
// --- cell
({ 日本: { 深い: { もっと: { 最後: 1 } } } })
