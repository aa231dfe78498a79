/** The entry point in words: `f` is a function, `Solution().f` a method of a class. */
export function describeEntryPoint(entryPoint: string): string {
  const method = /^(.+)\(\)\.(.+)$/.exec(entryPoint);
  return method
    ? `the method \`${method[2]}\` of the class \`${method[1]}\``
    : `the function \`${entryPoint}\``;
}
