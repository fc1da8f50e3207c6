/** Style of an exported page: follows the reader's light or dark theme, loads nothing. */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfaf8;--card:#fff;--ink:#1f2328;--soft:#656d76;--line:#e2e0db;--accent:#9a5b1f;--tint:#f6efe6;--code:#f3f2ee;--good:#1a7f37;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#15171a;--card:#1c1f23;--ink:#e4e6e9;--soft:#949ba4;--line:#30343a;--accent:#e0a35c;--tint:#26221c;--code:#22262b;--good:#57ab5a;--bad:#f47067}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:anywhere}
header,nav,main,footer{max-width:52rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem}
h3,h4,h5,h6{line-height:1.3;margin:1.2em 0 .4em;font-size:1.1em}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 1rem;color:var(--soft);font-size:.85rem;margin:0;padding:0;list-style:none}
a{color:var(--accent)}
.way{position:absolute;opacity:0;pointer-events:none}
nav{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.4rem;padding-top:.75rem;padding-bottom:.75rem;background:var(--bg);border-bottom:1px solid var(--line);margin-top:1rem;max-height:40vh;overflow:auto}
label{cursor:pointer;border:1px solid var(--line);border-radius:999px;padding:.1rem .75rem;font-size:.85rem;background:var(--card);color:var(--soft)}
label:hover{border-color:var(--accent);color:var(--accent)}
article{margin:1.75rem 0;scroll-margin-top:5rem}
article:target>.head{color:var(--accent)}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;color:var(--soft);font-size:.8rem;margin-bottom:.4rem}
.head a{color:inherit;text-decoration:none;font-variant-numeric:tabular-nums}
.asked{background:var(--tint);border-left:3px solid var(--accent);border-radius:0 .5rem .5rem 0;padding:.6rem 1rem;margin:.5rem 0;white-space:pre-wrap}
.answered{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.4rem 1.1rem;margin:.5rem 0}
.answered>:first-child{margin-top:.5em}
p{margin:.6em 0}
ul,ol{padding-left:1.4rem;margin:.5em 0}
pre,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.86em}
code{background:var(--code);border-radius:.3rem;padding:.1em .3em}
pre{background:var(--code);border-radius:.5rem;padding:.75rem 1rem;overflow:auto;max-height:32rem;white-space:pre-wrap;margin:.6em 0}
pre code{background:none;padding:0;font-size:1em}
blockquote{margin:.6em 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.92em}
th,td{border:1px solid var(--line);padding:.3rem .6rem;text-align:left}
details{border:1px solid var(--line);border-radius:.5rem;margin:.4rem 0;background:var(--card);font-size:.92em}
summary{cursor:pointer;padding:.35rem .8rem;color:var(--soft);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
summary b{color:var(--ink);font-weight:600}
details[open]>summary{border-bottom:1px solid var(--line)}
details>div{padding:.2rem .8rem}
.good{color:var(--good)}.bad{color:var(--bad)}
.note{color:var(--soft);font-size:.85rem;font-style:italic}
img{max-width:100%;border-radius:.4rem}
footer{color:var(--soft);font-size:.8rem;padding-top:1.5rem;padding-bottom:3rem;border-top:1px solid var(--line);margin-top:2rem}
@media print{nav{position:static}pre{max-height:none}body{background:none}}
`.trim();
