import { describe, expect, test } from '@jest/globals';
import { kindOf, messageOf } from '../../../../framework/base/errors/errors.ts';
import { shownAnswer } from '../mapping.fixture.ts';
import { api, recorded, resource, setup, thrownBy, x, y } from './mapping-claims.fixture.ts';

describe('a mapping whose new holder has not recorded it', () => {
  const MINUTE = 60_000;
  const deleted = recorded('bert');
  deleted.metadata.deletionTimestamp = '2024-02-01T00:00:00Z';
  function claimed() {
    const given = setup([resource('anna'), deleted]);
    given.claims.state(resource('anna'), shownAnswer(x));
    return { ...given, isTakenOver: () => given.claims.isTakenOver(deleted, x, api) };
  }

  test('is not left to it: the deletion of the former holder waits until the record is there', () => {
    const { cache, claims, isTakenOver } = claimed();
    const error = thrownBy(isTakenOver);
    expect(kindOf(error)).toBe('waiting');
    expect(messageOf(error)).toBe(
      'cannot delete the mapping "i-1/c-1/shop": Mapping anna owns it now and has not recorded it yet; the resource continues when that is done, within a minute',
    );
    expect(error).toMatchObject({ retry: true });
    expect(() => claims.assertOwn(deleted, x, api, 'recorded')).toThrow('has not recorded it yet');

    cache.put(recorded('anna'));

    expect(isTakenOver()).toBe(true);
    expect(() => claims.assertOwn(deleted, x, api, 'recorded')).toThrow('is owned by Mapping anna');
  });

  test('is that of the former holder again when the new one claims another', () => {
    const { claims, isTakenOver } = claimed();
    claims.state(resource('anna'), shownAnswer(y));
    expect(isTakenOver()).toBe(false);
  });

  test('is not left to a holder that does not record it within a minute of its claim', async () => {
    const { clock, claims, isTakenOver } = claimed();
    await clock.advance(MINUTE - 1);
    claims.state(resource('anna'), shownAnswer(x, { isPresent: false }));
    expect(isTakenOver).toThrow();
    await clock.advance(1);
    expect(isTakenOver()).toBe(false);
    expect(() => claims.assertOwn(deleted, x, api, 'recorded')).not.toThrow();
    expect(() => claims.assertOwn(deleted, x, api)).toThrow('is owned by Mapping anna');
  });

  test('is waited for as long if the holder changes meanwhile', async () => {
    const { cache, clock, claims, isTakenOver } = claimed();
    await clock.advance(MINUTE - 1);
    cache.put(resource('anna', { spec: { isDefault: true } }));
    expect(isTakenOver).toThrow('has not recorded it yet');
    claims.state(resource('anna'), shownAnswer(x, { isPresent: false }));
    await clock.advance(1);
    expect(isTakenOver()).toBe(false);
  });

  test('is waited for from the claim to this mapping on, not from an earlier one to another', async () => {
    const { clock, claims, isTakenOver } = claimed();
    claims.state(resource('anna'), shownAnswer(y));
    await clock.advance(MINUTE);
    claims.state(resource('anna'), shownAnswer(x));
    expect(isTakenOver).toThrow('has not recorded it yet');
  });

  test('is not replaced by the former holder either, which describes another now', () => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    claims.state(resource('anna'), shownAnswer(x));
    expect(() => claims.isTakenOver(recorded('bert'), x, api)).toThrow('cannot replace the mapping');
  });
});

describe('a mapping that the older of two has on record and leaves, as its credentials work again', () => {
  const deleted = (name: 'anna' | 'bert') => {
    const given = recorded(name);
    given.metadata.deletionTimestamp = '2024-02-01T00:00:00Z';
    return given;
  };
  function regained(older = recorded('anna'), younger = recorded('bert'), isPresent = true) {
    const { claims } = setup([older, younger]);
    claims.state(older, shownAnswer(x, { outcome: 'refused', isPresent: false }));
    claims.state(younger, shownAnswer(x, { isPresent }));
    claims.state(older, shownAnswer(older.metadata.deletionTimestamp === undefined ? y : x));
    return claims;
  }

  test.each([
    { how: 'an edit', older: recorded('anna') },
    { how: 'its deletion', older: deleted('anna') },
  ])('by $how stays with the younger, which has it', ({ older }) => {
    const claims = regained(older);
    expect(claims.isTakenOver(older, x, api)).toBe(true);
    expect(() => claims.assertOwn(older, x, api, 'recorded')).toThrow('is owned by Mapping bert');
  });

  test.each([
    { title: 'does not see it', younger: recorded('bert'), isPresent: false },
    { title: 'has no record of it', younger: resource('bert'), isPresent: true },
  ])('is not left to a younger one that $title', ({ younger, isPresent }) => {
    const claims = regained(deleted('anna'), younger, isPresent);
    expect(claims.isTakenOver(deleted('anna'), x, api)).toBe(false);
  });

  test('is deleted by both, if both leave it', () => {
    const claims = regained(recorded('anna'), deleted('bert'));
    expect(claims.isTakenOver(recorded('anna'), x, api)).toBe(false);
    expect(claims.isTakenOver(deleted('bert'), x, api)).toBe(false);
  });

  test('belongs to the older one, if that stays', () => {
    const claims = regained();
    claims.state(recorded('anna'), shownAnswer(x));
    expect(claims.isTakenOver(recorded('anna'), x, api)).toBe(false);
    expect(claims.isTakenOver(recorded('bert'), x, api)).toBe(true);
  });
});
