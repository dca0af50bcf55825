/** The functions for paths with slashes, as package path has them. */
import { posix } from 'node:path';
import { type Body, fixed } from '../call/define.ts';
import { STRING } from '../call/parameter.ts';
import { chargeText } from '../call/text-builder.ts';

const ofPath = (change: (path: string) => string | boolean): Body =>
  fixed([STRING], ([path], { budget }) => {
    chargeText(budget, path.length);
    return change(path);
  });

/** The shortest path that means the same. Without slash at the end, unlike that of Node. */
function clean(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function base(path: string): string {
  if (path === '') return '.';
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return end === 0 ? '/' : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}

export const PATHS = {
  base: ofPath(base),
  clean: ofPath(clean),
  dir: ofPath((path) => clean(path.slice(0, path.lastIndexOf('/') + 1))),
  ext: ofPath(extension),
  isAbs: ofPath((path) => path.startsWith('/')),
} satisfies Record<string, Body>;
