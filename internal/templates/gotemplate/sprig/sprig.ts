/** The functions of sprig, version 3, without those that read the environment of the process. */
import type { GoFunctions } from '../values/value.ts';
import { CRYPTO_FUNCTIONS } from './crypto/crypto.ts';
import { DATE_FUNCTIONS } from './dates.ts';
import { DICT_FUNCTIONS } from './dicts.ts';
import { LIST_FUNCTIONS } from './lists.ts';
import { NUMBER_FUNCTIONS } from './numbers.ts';
import { OTHER_FUNCTIONS } from './others.ts';
import { STRING_FUNCTIONS } from './strings.ts';

export const SPRIG3_FUNCTIONS: GoFunctions = {
  ...STRING_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...DICT_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...CRYPTO_FUNCTIONS,
  ...OTHER_FUNCTIONS,
};
