/** Texts as the data of a Secret: base64. */
export const encodedData = (entries: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]),
  );
