/**
 * A pure function of a text that remembers what it gave for the texts that were asked for last. What was not asked
 * for the longest is forgotten first, once there are too many results or they are too long together.
 */
export function rememberRecent<Result>(
  compute: (text: string) => Result,
  bounds: {
    readonly mostResults: number;
    readonly mostCharacters: number;
    readonly charactersOf: (result: Result) => number;
  },
): (text: string) => Result {
  const known = new Map<string, { readonly result: Result; readonly characters: number }>();
  let characters = 0;
  const forget = (text: string) => {
    characters -= known.get(text)?.characters ?? 0;
    known.delete(text);
  };
  return (text) => {
    const { result, characters: size } = known.get(text) ?? measured(text);
    // Most recently used last: the first key is the one to drop.
    forget(text);
    known.set(text, { result, characters: size });
    characters += size;
    while (known.size > bounds.mostResults || characters > bounds.mostCharacters) {
      forget(known.keys().next().value as string);
    }
    return result;
  };

  function measured(text: string) {
    const result = compute(text);
    return { result, characters: text.length + bounds.charactersOf(result) };
  }
}
