/**
 * Whether `a` was given before `b`. Kubernetes promises since 1.35 what was true before: versions of one kind are
 * decimal numbers that grow. Other servers may do as they like; their versions have no order.
 */
export function isOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

const decimal = /^[1-9]\d*$/;
