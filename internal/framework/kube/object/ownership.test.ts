import { describe, expect, test } from '@jest/globals';
import { namespacedWidgets, widget } from '../fakes/widget.ts';
import { asController, assertControllable, controllerOf, haveSameController } from './ownership.ts';

const ours = { ...asController(widget(namespacedWidgets)), uid: 'uid-ours' };
const owner = { ...ours, uid: 'uid-owner', controller: false };
const ownedBy = (...ownerReferences: (typeof ours)[]) =>
  widget(namespacedWidgets, { metadata: { ownerReferences } });

describe('who may write an object', () => {
  test.each([
    { title: '[229] without a controller it may be adopted', object: ownedBy(owner) },
    { title: '[230] we control it', object: ownedBy(owner, ours) },
  ])('$title', ({ object }) => {
    expect(() => assertControllable(object, 'uid-ours')).not.toThrow();
  });

  test('[231] another one controls it', () => {
    const object = ownedBy({ ...ours, uid: 'uid-other' });
    expect(() => assertControllable(object, 'uid-ours')).toThrow(
      'existing object is not controlled by UID "uid-ours"',
    );
  });
});

test('the controller is the one owner that says so', () => {
  expect(controllerOf(ownedBy(owner, ours))).toEqual(ours);
  expect(controllerOf(ownedBy(owner))).toBeUndefined();
  expect(controllerOf(widget(namespacedWidgets))).toBeUndefined();
});

test('a controlled object names its owner and holds up its foreground deletion', () => {
  expect(asController(widget(namespacedWidgets))).toEqual({
    apiVersion: 'm.example.org/v1',
    kind: 'Widget',
    name: 'w',
    uid: 'uid-w',
    controller: true,
    blockOwnerDeletion: true,
  });
});

describe('whether two objects have the same controller', () => {
  const other = { ...ours, uid: 'uid-other' };
  test.each([
    { title: '[297] one of them has no controller', a: ownedBy(), b: ownedBy(ours), same: false },
    { title: '[297] neither has a controller', a: ownedBy(owner), b: ownedBy(owner), same: false },
    { title: '[298] others control them', a: ownedBy(ours), b: ownedBy(other), same: false },
    { title: '[299] the same one does', a: ownedBy(owner, ours), b: ownedBy(ours), same: true },
  ])('$title', ({ a, b, same }) => {
    expect(haveSameController(a, b)).toBe(same);
  });
});
