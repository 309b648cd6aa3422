// Texts such as a=b, "c": d as the interface reads them.

const tokens = /"((?:\\.|[^"\\])*)"?|'((?:\\.|[^'\\])*)'?|((?:\\.|[^\s"'=:,;&{}\\])+)|([=:])|(\s)|[,;&{}]/gs;

/** The values by their keys. A word without a value has "", but after a comma it is the value of the word before. */
export function keyValues(text: string): { [key: string]: string } {
  const found: { [key: string]: string } = {};
  let key = '';
  let word = '';
  const end = (isSpace: boolean) => {
    if (word && (key || isSpace)) {
      found[key || word] = key ? word : '';
      key = '';
    } else if (word) {
      key = word;
    }
    word = '';
  };
  for (const [, double, single, plain, equals, space] of text.matchAll(tokens)) {
    if (double !== undefined || single !== undefined) {
      end(true); // a quote separates, as a space does
    }
    const part = double ?? single ?? plain;
    if (part !== undefined) {
      word += part.replace(/\\(.)/gs, '$1');
    } else if (equals && word) {
      Object.assign(found, key ? { [key]: '' } : {});
      [key, word] = [word, ''];
    } else if (!equals) {
      end(space !== undefined);
    }
  }
  if (key || word) {
    found[key || word] = key ? word : '';
  }
  return found;
}
