/** An editor for `kubectl edit`: applies the JSON merge patch of EDIT to the YAML file of the last argument. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

const merge = (target, patch) => {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
};

const file = process.argv.at(-1);
const edited = merge(parse(readFileSync(file, 'utf8')), JSON.parse(process.env.EDIT));
writeFileSync(file, stringify(edited));
