import { createHash } from 'node:crypto';

/** The name of a component as labels and names of objects can have it, with a hash if that is another one. */
export function objectNameOf(component: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/.test(component)) return component;
  const hash = createHash('sha256').update(component).digest('hex').slice(0, 12);
  const readable = component
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')
    .slice(0, 32);
  return `x-${readable}-${hash}`;
}
