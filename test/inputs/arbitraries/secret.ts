import fc from 'fast-check';

/** In every credential of the inputs. Parsers quote texts in part, so its parts are searched for. */
export const secret = 'S3cr"x+/Kq9-vTz8%Wm4\\Lp7=Yb2&Nd6';

/** A shorter quotation reveals nothing, and may be in a text by chance. */
const PART = 5;

const encoded = Buffer.from(secret).toString('base64').replace('=', '');
const parts = [secret, encoded].flatMap((text) =>
  Array.from({ length: text.length - PART + 1 }, (_, at) => text.slice(at, at + PART)),
);

/** The first part of the secret in the text, if any. */
export function quotedPart(text: string): string | undefined {
  return parts.find((part) => text.includes(part));
}

/** Numbers of characters around limits at which texts are cut. */
const limits = [200, 1024, 4096, 8192, 10_000, 16_384, 32_768];

/** Text of a server that echoes the secret, also across a limit at which texts are cut. */
export const echo: fc.Arbitrary<string> = fc
  .record({
    filler: fc.constantFrom(' ', '\n', '\u0000', 'x', `${secret} `),
    limit: fc.constantFrom(0, 10, ...limits),
    before: fc.nat({ max: 40 }),
    after: fc.constantFrom('', ' ', 'x', '\u0000'),
    form: fc.constantFrom(
      (text: string) => text,
      (text: string) => Buffer.from(text).toString('base64'),
      encodeURIComponent,
    ),
  })
  .map(({ filler, limit, before, after, form }) => {
    // Whole fillers: a server that sends a part of a secret is not to be found out.
    const padding = filler.repeat(Math.max(0, Math.floor((limit - before) / filler.length)));
    return padding + form(secret) + after;
  });
