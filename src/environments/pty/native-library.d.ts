/** The one file of the package that finds the compiled part for this system. It has no types of its own. */
declare module "@lydell/node-pty/requireBinary.js" {
  const library: { requireBinary(file: "pty.node"): object };
  export default library;
}
