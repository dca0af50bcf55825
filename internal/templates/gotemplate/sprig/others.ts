/** The functions for encodings, regular expressions, dates, versions, paths and URLs. */
import { createHash } from 'node:crypto';
import { canBackquote, quote } from '../format/quote.ts';
import { type Body, chargeText, Failure, Panic } from '../functions/define.ts';
import { ENCODING } from '../functions/encoding.ts';
import { decodeJson, encodeJson, type JsonForm } from '../functions/json.ts';
import { REGEX } from '../functions/regex.ts';
import { meetsConstraint } from '../functions/semver/constraints.ts';
import { parseVersion, versionValue } from '../functions/semver/version.ts';
import { RANDOM } from '../functions/strings/random.ts';
import { PATHS, URLS } from '../functions/urls.ts';
import { toBytes } from '../values/text.ts';
import type { GoFunction, GoFunctions, TypeName } from '../values/value.ts';
import { decodeBase64 } from './base64.ts';
import { ANY_TYPE, DICT_TYPE, textAt, typed } from './typed.ts';

const text: readonly TypeName[] = ['string'];
const twoTexts: readonly TypeName[] = ['string', 'string'];
const threeTexts: readonly TypeName[] = ['string', 'string', 'string'];
const twoTextsAndInt: readonly TypeName[] = ['string', 'string', 'int'];

const toJson = (form: JsonForm, isStrict: boolean): GoFunction =>
  typed([ANY_TYPE], ([value = null], { budget }) => encodeJson(value, form, budget), {
    ...(!isStrict && { orElse: () => '' }),
  });

/** The error without the words that sprout puts before it. */
const fromJson: Body = (args, { budget }) => {
  try {
    return decodeJson(textAt(args, 0), budget);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.message.replace(/^json decode error: /, ''));
  }
};

/** The error of an expression that cannot be compiled is a panic with other words. */
const regex = (parameters: readonly TypeName[], body: Body): GoFunction =>
  typed(parameters, (args, context) => {
    try {
      return body(args, context);
    } catch (error) {
      if (!(error instanceof Failure) || error instanceof Panic) throw error;
      const text = textAt(args, 0);
      throw new Panic(
        `regexp: Compile(${canBackquote(text) ? `\`${text}\`` : quote(text)}): ${error.message}`,
      );
    }
  });

const PRETTY: JsonForm = { escapesHtml: true, indentation: '  ' };

const ENCODING_FUNCTIONS: GoFunctions = {
  adler32sum: typed(text, ENCODING.adler32sum),
  b32dec: typed(text, ENCODING.b32dec, { orElse: ({ message }) => message }),
  b32enc: typed(text, ENCODING.b32enc),
  b64dec: typed(text, (args, { budget }) => decodeBase64(textAt(args, 0), budget), {
    orElse: ({ message }) => message,
  }),
  b64enc: typed(text, ENCODING.b64enc),
  fromJson: typed(text, fromJson, { any: true, orElse: () => null }),
  mustFromJson: typed(text, fromJson, { any: true }),
  mustToJson: toJson({ escapesHtml: true }, true),
  mustToPrettyJson: toJson(PRETTY, true),
  mustToRawJson: toJson({ escapesHtml: false }, true),
  sha1sum: typed(text, ENCODING.sha1sum),
  sha256sum: typed(text, ENCODING.sha256sum),
  sha512sum: typed(text, (args, { budget }) => {
    chargeText(budget, textAt(args, 0).length);
    return createHash('sha512')
      .update(toBytes(textAt(args, 0)))
      .digest('hex');
  }),
  toJson: toJson({ escapesHtml: true }, false),
  toPrettyJson: toJson(PRETTY, false),
  toRawJson: toJson({ escapesHtml: false }, true),
};

const REGEX_FUNCTIONS: GoFunctions = {
  mustRegexFind: typed(twoTexts, REGEX.regexFind),
  mustRegexFindAll: typed(twoTextsAndInt, REGEX.regexFindAll),
  mustRegexMatch: typed(twoTexts, REGEX.regexMatch),
  mustRegexReplaceAll: typed(threeTexts, REGEX.regexReplaceAll),
  mustRegexReplaceAllLiteral: typed(threeTexts, REGEX.regexReplaceAllLiteral),
  mustRegexSplit: typed(twoTextsAndInt, REGEX.regexSplit),
  regexFind: regex(twoTexts, REGEX.regexFind),
  regexFindAll: regex(twoTextsAndInt, REGEX.regexFindAll),
  regexMatch: typed(twoTexts, REGEX.regexMatch, { orElse: () => false }),
  regexQuoteMeta: typed(text, REGEX.regexQuoteMeta),
  regexReplaceAll: regex(threeTexts, REGEX.regexReplaceAll),
  regexReplaceAllLiteral: regex(threeTexts, REGEX.regexReplaceAllLiteral),
  regexSplit: regex(twoTextsAndInt, REGEX.regexSplit),
};

const RANDOM_FUNCTIONS: GoFunctions = {
  randAlpha: typed(['int'], RANDOM.randAlpha),
  randAlphaNum: typed(['int'], RANDOM.randAlphaNum),
  randAscii: typed(['int'], RANDOM.randAscii),
  randInt: typed(['int', 'int'], RANDOM.randInt),
  randNumeric: typed(['int'], RANDOM.randNumeric),
  shuffle: typed(text, RANDOM.shuffle),
  uuidv4: typed([], RANDOM.uuidv4),
};

export const OTHER_FUNCTIONS: GoFunctions = {
  ...ENCODING_FUNCTIONS,
  ...RANDOM_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  base: typed(text, PATHS.base),
  clean: typed(text, PATHS.clean),
  dir: typed(text, PATHS.dir),
  ext: typed(text, PATHS.ext),
  isAbs: typed(text, PATHS.isAbs),
  osBase: typed(text, PATHS.base),
  osClean: typed(text, PATHS.clean),
  osDir: typed(text, PATHS.dir),
  osExt: typed(text, PATHS.ext),
  osIsAbs: typed(text, PATHS.isAbs),
  semver: typed(text, (args) => versionValue(parseVersion(textAt(args, 0)))),
  semverCompare: typed(twoTexts, (args, { budget }) => {
    chargeText(budget, (textAt(args, 0).length + textAt(args, 1).length) * 8);
    return meetsConstraint(textAt(args, 0), textAt(args, 1));
  }),
  urlJoin: typed([DICT_TYPE], URLS.urlJoin),
  urlParse: typed(text, URLS.urlParse),
};
