/**
 * Whether `a` is older than `b`. Since 1.35 Kubernetes documents that the versions of one resource are increasing decimal
 * numbers. Versions in another form have no order.
 */
export function isOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

const decimal = /^[1-9]\d*$/;
