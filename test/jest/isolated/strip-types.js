// Node's own type stripping as a Jest transform: types become blanks, so lines and columns stay exact.
import { stripTypeScriptTypes } from 'node:module';

export default {
  process: (source, path) => ({ code: path.endsWith('.ts') ? stripTypeScriptTypes(source) : source }),
};
