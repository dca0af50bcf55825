/** The functions of Helm that are the same in all templates. */
import {
  dict,
  FunctionError,
  type GoFunctions,
  INTERFACE,
  SPRIG3_FUNCTIONS,
  typed,
} from '../../gotemplate/index.ts';
import { DATA_FORMATS } from './data-formats.ts';
import { DURATION_FUNCTIONS } from './durations.ts';

/** Around messages of charts, which are all that is reported of an error. */
export const WARNING_START = 'HELM_ERR_START';
export const WARNING_END = 'HELM_ERR_END';

const warning = (text: unknown): FunctionError =>
  new FunctionError(`${WARNING_START}${String(text)}${WARNING_END}`);

export const HELM_FUNCTIONS: GoFunctions = {
  ...SPRIG3_FUNCTIONS,
  ...DATA_FORMATS,
  ...DURATION_FUNCTIONS,
  fail: typed(['string'], ([message]) => {
    throw warning(message);
  }),
  // No names are resolved.
  getHostByName: typed(['string'], () => ''),
  // There is no cluster to look into.
  lookup: typed(['string', 'string', 'string', 'string'], () => dict()),
  required: typed(
    ['string', INTERFACE],
    ([message, value = null]) => {
      if (value === null || value === '') throw warning(message);
      return value;
    },
    { any: true },
  ),
};
