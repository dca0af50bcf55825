import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cpuTimeMs } from '../time/cpu-time.fixture.ts';
import { createScrubber, keptMaskOf, mask, redact, shortestSecret, visibleMessage } from './redact.ts';

const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzYi14In0.c2lnbmF0dXJlLXNpZ25hdHVyZQ`;
const pem = `-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49\nAwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----`;

describe('redact masks what looks like a credential', () => {
  const cases: Record<string, { reason: string; text: string; secret: string; kept?: string }> = {
    BearerToken: {
      reason: 'HTTP libraries quote headers in their errors',
      text: 'request failed with Authorization: Bearer abc123opaque and more',
      secret: 'abc123opaque',
      kept: 'and more',
    },
    BearerWithoutHeaderName: {
      reason: 'the scheme alone gives the token away',
      text: 'refused "Bearer abc123opaque"',
      secret: 'abc123opaque',
      kept: 'refused',
    },
    BasicAuth: {
      reason: 'client id and secret are only encoded in it',
      text: `curl -H 'Authorization: Basic c2ItaWQ6c2VjcmV0'`,
      secret: 'c2ItaWQ6c2VjcmV0',
    },
    Jwt: {
      reason: 'tokens appear without any scheme as well',
      text: `got ${jwt}!`,
      secret: jwt,
      kept: 'got',
    },
    PemBlock: {
      reason: 'a private key is a secret',
      text: `key ${pem} end`,
      secret: 'AwEHBG0wawIBAQQg',
      kept: 'end',
    },
    PemBlockEscaped: {
      reason: 'in JSON the line ends are escaped',
      text: JSON.stringify({ key: pem, host: 'h' }),
      secret: 'AwEHBG0wawIBAQQg',
      kept: '"host":"h"',
    },
    PemBlockCutOff: {
      reason: 'texts are cut to a length',
      text: pem.slice(0, 60),
      secret: 'MIGHAgEAMBMG',
    },
    JsonSecret: {
      reason: 'a uaa value is JSON',
      text: '{"clientid":"sb-x","clientsecret":"pa\\"ss word","url":"https://u"}',
      secret: 'ss word',
      kept: '"clientid":"sb-x"',
    },
    JsonInsideJson: {
      reason: 'a Secret holds uaa as a string',
      text: JSON.stringify({ uaa: JSON.stringify({ clientsecret: 'hunter2hunter2', url: 'https://u' }) }),
      secret: 'hunter2hunter2',
      kept: 'https://u',
    },
    JsonCutOff: {
      reason: 'parsers quote the beginning of what they could not read',
      text: `Unexpected end of JSON input: {"clientsecret":"hunter2hun`,
      secret: 'hunter2hun',
    },
    Form: {
      reason: 'the body of a token request',
      text: 'grant_type=client_credentials&client_secret=hun%3Dter2&client_id=sb-x',
      secret: 'hun%3Dter2',
      kept: 'client_id=sb-x',
    },
    AccessToken: {
      reason: 'the answer to a token request',
      text: '{"access_token": "0pa-que_token", "expires_in": 10}',
      secret: '0pa-que_token',
      kept: '"expires_in": 10',
    },
    QueryOfGitLab: {
      reason: 'a chart is downloaded with a token in the query',
      text: 'GET https://git.example/a.tgz?private_token=glpat-opaque&x=1 answered 404',
      secret: 'glpat-opaque',
      kept: 'x=1 answered 404',
    },
    SignedUrl: {
      reason: 'who has a signed URL may read the file',
      text: 'GET https://s3.example/a.tgz?X-Amz-Date=1&X-Amz-Signature=0123abcd answered 403',
      secret: '0123abcd',
      kept: 'X-Amz-Date=1',
    },
    SharedAccessSignature: {
      reason: 'who has a signed URL may read the file',
      text: 'https://a.blob.example/c/a.tgz?sv=2024&sig=abc%2Bdef%3D&sp=r',
      secret: 'abc%2Bdef%3D',
      kept: 'sp=r',
    },
    HeaderOfGitLab: {
      reason: 'libraries quote headers of all names',
      text: 'headers: {"PRIVATE-TOKEN": "glpat-opaque", "accept": "*/*"}',
      secret: 'glpat-opaque',
      kept: '"accept"',
    },
    Cookie: {
      reason: 'a session is as good as a password',
      text: 'Set-Cookie: session=opaque-session; Path=/',
      secret: 'opaque-session',
    },
    ProxyAuthorization: {
      reason: 'proxies have credentials of their own',
      text: 'Proxy-Authorization: Basic dTpw and more',
      secret: 'dTpw',
      kept: 'and more',
    },
    UserInfo: {
      reason: 'proxies are configured with user name and password in the URL',
      text: 'connect to http://user:pa@ss@proxy.example:3128/ failed',
      secret: 'pa@ss',
      kept: 'proxy.example:3128',
    },
    KubeconfigKey: {
      reason: 'YAML errors show the line at fault',
      text: '    client-key-data: LS0tLS1CRUdJTg==',
      secret: 'LS0tLS1CRUdJTg==',
    },
    KubeconfigToken: {
      reason: 'the same for tokens, which are not always JWTs',
      text: 'users:\n- name: x\n  user:\n    token: sha256~opaque\ncurrent-context: x',
      secret: 'sha256~opaque',
      kept: 'current-context: x',
    },
  };
  for (const [name, { reason, text, secret, kept }] of Object.entries(cases)) {
    test(`${name}: ${reason}`, () => {
      expect(text).toContain(secret);
      const redacted = redact(text);
      expect(redacted).not.toContain(secret);
      expect(redacted).toContain(mask);
      if (kept !== undefined) expect(redacted).toContain(kept);
    });
  }
});

test('sentences about credentials stay readable, since a message must still tell what is wrong', () => {
  const sentences = [
    'the bearer token has expired',
    'Basic authentication is required',
    'Basic Authentication required',
    'Secret shop/hana-admin has no key uaa',
    'has no clientsecret in key uaa',
    'invalid token: signature mismatch',
    'https://api.example.com/v1?x=a@b.example',
    'WWW-Authenticate Bearer realm="uaa"',
  ];
  expect(sentences.map(redact)).toEqual(sentences);
});

describe('properties', () => {
  test('redacting twice is redacting once', () => {
    const snippets = fc.constantFrom(
      'Bearer ',
      'token=',
      'password: ',
      '"token":"',
      '://u:p@',
      jwt,
      'Authorization: ',
      ' ',
      '\n',
      '"',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(snippets, fc.string())), (pieces) => {
        const once = redact(pieces.join(''));
        expect(redact(once)).toBe(once);
      }),
    );
  });

  // A secret that is part of the mask itself cannot vanish from a text that shows the mask.
  const secrets = fc
    .string({ unit: 'grapheme-ascii', minLength: shortestSecret + 2, maxLength: 40 })
    .filter((value) => !mask.includes(value) && value.trim().length > shortestSecret && !value.includes('['));
  const surroundings = fc.string({ unit: fc.constantFrom(...'abcXYZ019 .:,é') });

  const disguises: Record<string, (secret: string, before: string, after: string) => string> = {
    literally: (secret) => secret,
    'in base64 with anything before and after it': (secret, before, after) =>
      Buffer.from(before + secret + after).toString('base64'),
    'in base64url with anything before and after it': (secret, before, after) =>
      Buffer.from(before + secret + after).toString('base64url'),
    'escaped for a URL': (secret) => encodeURIComponent(secret),
    'escaped for a form': (secret) => new URLSearchParams({ s: secret }).toString().slice(2),
    'escaped for JSON': (secret) => JSON.stringify(secret).slice(1, -1),
    'escaped for JSON three times': (secret) => JSON.stringify(JSON.stringify(JSON.stringify(secret))),
    'escaped for JSON as Go does, which writes < and & as numbers': (secret) =>
      escaped(secret, /[<>&"\\]/g, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
    'escaped for JSON by numbers in capitals': (secret) =>
      escaped(secret, /./g, (code) => `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`),
    'escaped for JSON with slashes': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'escaped for HTML': (secret) => escaped(secret, /[<>&"']/g, (code) => `&#${code};`),
    'escaped for HTML by hexadecimal numbers': (secret) =>
      escaped(secret, /\W/g, (code) => `&#x${code.toString(16)};`),
    'escaped for a URL twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
    'escaped for a URL in each character': (secret) =>
      escaped(secret, /./g, (code) => `%${code.toString(16).padStart(2, '0')}`),
    'escaped for a URL in JSON in HTML': (secret) =>
      escaped(JSON.stringify({ url: encodeURIComponent(secret) }), /"/g, () => '&quot;'),
    'as a client of HTTP Basic that is encoded as RFC 6749 says': (secret) =>
      Buffer.from(`sb-x:${encodeURIComponent(secret)}`).toString('base64'),
    'in base64 in a URL': (secret) => encodeURIComponent(Buffer.from(`${secret}~~~`).toString('base64')),
    'in base64 of JSON of base64, as in a Secret with a registry': (secret) =>
      Buffer.from(JSON.stringify({ auth: Buffer.from(`me:${secret}`).toString('base64') })).toString(
        'base64',
      ),
    'in base64 with lines of 16 characters': (secret, before, after) =>
      Buffer.from(before + secret + after)
        .toString('base64')
        .replace(/(.{16})/g, '$1\r\n'),
    'over two lines of YAML': (secret) => secret.replace(/(\S)(\S)/, '$1\n    $2'),
    'over two lines of a header in JSON': (secret) =>
      JSON.stringify(secret.replace(/(\S)(\S)/, '$1\r\n\t$2')),
  };
  for (const [name, disguise] of Object.entries(disguises)) {
    test(`a known value is found ${name}`, () => {
      fc.assert(
        fc.property(secrets, surroundings, surroundings, (secret, before, after) => {
          const text = `${before} ${disguise(secret, before, after)} ${after}`;
          const scrubbed = createScrubber([secret])(text);
          expect(scrubbed).toContain(mask);
          expect(scrubbed).not.toContain(secret);
          expect(decodedRuns(scrubbed)).not.toContain(secret);
        }),
      );
    });
  }

  test.each<[string, (secret: string) => string]>([
    ['in hex', (secret) => Buffer.from(secret).toString('hex')],
    ['in hex in capitals', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
    ['in capitals', (secret) => secret.toUpperCase()],
    ['in lower case', (secret) => secret.toLowerCase()],
    ['in capitals for a URL', (secret) => encodeURIComponent(secret).toUpperCase()],
    ['in capitals in JSON', (secret) => JSON.stringify({ s: secret.toUpperCase() }).slice(6, -2)],
  ])('a known value %s is found, also when the value is not kept', (_, disguise) => {
    fc.assert(
      fc.property(secrets, surroundings, surroundings, (secret, before, after) => {
        fc.pre(secret.length >= 8);
        const text = `${before} ${disguise(secret)} ${after}`;
        for (const scrub of [createScrubber([secret]), createScrubber([], [keptMaskOf([secret])])])
          expect(scrub(text)).not.toContain(disguise(secret));
      }),
    );
  });

  test('a short value is masked only as it is: in another case it may be a part of words', () => {
    expect(createScrubber(['Prod'])('Prod or production')).toBe(`${mask} or production`);
  });

  test('a text without the value or anything like a credential is left as it is', () => {
    fc.assert(
      fc.property(secrets, surroundings, (secret, text) => {
        fc.pre(!text.includes(secret) && secret.length > 12);
        expect(createScrubber([secret])(text)).toBe(text);
      }),
    );
  });
});

const escaped = (text: string, pattern: RegExp, of: (code: number) => string) =>
  text.replace(pattern, (char) => of(char.charCodeAt(0)));

/** Whatever base64 remains in the text, decoded. */
function decodedRuns(text: string): string {
  return (text.match(/[\w+/-]{4,}/g) ?? [])
    .map((run) => Buffer.from(run, 'base64').toString('latin1'))
    .join('\n');
}

test('a long text made to make patterns search for ever does not: it would take minutes', async () => {
  const pieces = [
    '\\\\',
    '"',
    'a',
    ' ',
    '://',
    'a://',
    'Bearer ',
    'Basic ',
    'token=',
    '"token":"',
    '-----BEGIN ',
    'eyJ',
    '.a',
    '\t',
  ];
  for (const piece of pieces) {
    for (const start of [
      '',
      '"token":"',
      'https://',
      'Basic ',
      'authorization:',
      '-----BEGIN A-----',
      'eyJaaaaaaa',
    ]) {
      expect(redact(start + piece.repeat(50_000)).length).toBeGreaterThan(0);
      // Gives the test's own time limit a chance to strike.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
});

describe('createScrubber', () => {
  test('masks each long line of a value separately, since a parser may quote one line of a key', () => {
    const scrub = createScrubber([pem]);
    expect(scrub('bad line: MIGHAgEAMBMGByqGSM49AgEGCCqGSM49')).toBe(`bad line: ${mask}`);
  });

  test('leaves no rest where two values overlap', () => {
    expect(createScrubber(['abcdefgh', 'efghijkl'])('x abcdefghijkl y')).toBe(`x ${mask} y`);
    expect(createScrubber(['abab'])('x ababab y')).toBe(`x ${mask} y`);
  });

  const scrubbers: readonly [string, (values: readonly string[], maxLength?: number) => typeof redact][] = [
    ['known', (values, maxLength) => createScrubber(values, [], maxLength)],
    ['kept', (values, maxLength) => createScrubber([], [keptMaskOf(values)], maxLength)],
  ];

  test.each(scrubbers)(
    'leaves no beginning of a value at the place where a long text is cut: %s',
    (_, of) => {
      const value = 'k'.repeat(3000) + 'x'.repeat(3000);
      const scrub = of([value, 'short-secret']);
      for (let before = 1; before < 12; before++) {
        // Masked values make the text so short that the place of the cut is shown.
        const text = `${value.repeat(5).padEnd(32_768 - before, ' ')}short-secret`;
        expect(scrub(text)).not.toContain('s');
        expect(scrub(value.repeat(6))).not.toContain('k');
      }
    },
  );

  test.each(scrubbers)(
    'returns no more of a long text than is asked for, without a beginning of a value at its end: %s',
    (_, of) => {
      const value = 'k'.repeat(300);
      const scrub = of([value], 100);
      for (let before = 0; before < 400; before += 7) {
        const text = `${' '.repeat(before)}${value}${'x'.repeat(50_000)}`;
        expect(scrub(text).length).toBeLessThanOrEqual(100 + 2 * mask.length);
        expect(scrub(text)).not.toContain('k');
      }
      expect(scrub('a short text')).toBe('a short text');
    },
  );

  test('ignores values too short to be secrets, which would blacken every text', () => {
    expect(createScrubber(['', 'a', 'abc'])('a b abc')).toBe('a b abc');
  });

  test('masks patterns as well', () => {
    expect(createScrubber([])('Bearer abc123opaque')).toBe(`Bearer ${mask}`);
  });
});

describe('a scrubber of many values', () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `value-${index}-of-many`);

  test('masks each of 2,000, which may occur several times', () => {
    const scrub = createScrubber([...values(2000), ...values(2000)]);
    expect(scrub('found value-1999-of-many here')).toBe(`found ${mask} here`);
  });

  test.each([
    { which: 'more than 2,000', many: values(2001) },
    { which: 'more than can be arguments of a call', many: values(200_000) },
    { which: 'more than 256 Ki characters', many: values(100).map((value) => value.padEnd(8192, '-')) },
  ])('leaves nothing of a text with $which', ({ many }) => {
    expect(createScrubber(many)('found nothing here')).toBe(mask);
  });

  test.each([
    { what: 'of texts that repeat', length: 500 },
    { what: 'of long texts that repeat', length: 4000 },
  ])('takes little time for values $what', ({ length }) => {
    const many = Array.from(
      { length: Math.floor(250_000 / length) },
      (_, n) => `${'a'.repeat(length / 5)}${n}${'a'.repeat((4 * length) / 5)}`,
    );
    const scrub = createScrubber(many);
    scrub('what is searched for is computed');
    const times = Array.from({ length: 3 }, () => cpuTimeMs(() => scrub('a'.repeat(32_768))));
    expect(Math.min(...times)).toBeLessThan(500);
    expect(scrub(`found ${many[9]}.`)).toBe(`found ${mask}.`);
  });

  test('takes little time for a text that was made for many notations', () => {
    const scrub = createScrubber(values(2000));
    scrub('what is searched for is computed');
    const made = [
      '%2525',
      '\\\\u005cn',
      '&amp;#37;',
      '\n  ',
      Buffer.from('%25&amp;'.repeat(9)).toString('base64'),
    ];
    const time = cpuTimeMs(() => scrub(made.join(' ').repeat(1000)));
    expect(time).toBeLessThan(2000);
  });

  test('does not count values that are too short to be masked', () => {
    expect(createScrubber(['abc', ...Array.from({ length: 5000 }, () => 'x')])('abc x')).toBe('abc x');
  });
});

test('a message of a condition or an event is redacted, whatever wrote it', () => {
  const message = visibleMessage('cannot get Secret: Bearer abcdefgh123 is not valid', 1024);
  expect(message).toBe('cannot get Secret: Bearer [redacted] is not valid');
});
