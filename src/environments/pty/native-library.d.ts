/** The file of the package that loads the compiled library for this system. The package has no types for it. */
declare module "@lydell/node-pty/requireBinary.js" {
  const library: { requireBinary(file: "pty.node"): object };
  export default library;
}
