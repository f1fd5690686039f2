package dev.sluice.contract.file;

import dev.sluice.contract.file.Value.Mapping;
import java.util.Collection;

/** Complains of keys that a mapping has and its reader does not know. */
final class UnknownKeys {
  private UnknownKeys() {}

  /** Beginning of a key at the top of a file that only holds values for aliases to repeat. */
  static final String ANCHORS = "x-";

  /** Complains of each unknown key. */
  static void any(String prefix, Mapping mapping, Collection<String> known, Problems problems) {
    String plural =
        prefix.isEmpty() ? "keys" : "keys of " + prefix.substring(0, prefix.length() - 1);
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              boolean holdsAnchors = prefix.isEmpty() && key.startsWith(ANCHORS);
              if (!known.contains(key) && !holdsAnchors) {
                problems.error(
                    entry.keyPlace(),
                    "the key " + prefix + Written.of(key) + " is unknown",
                    NearestName.advice(key, known, plural));
              }
            });
  }

  /** Complains of each unknown key that is nearly a known one, unless that one is there too. */
  static void nearlyKnown(
      String prefix, Mapping mapping, Collection<String> known, Problems problems) {
    mapping
        .entries()
        .forEach(
            (key, entry) -> {
              if (!known.contains(key)) {
                NearestName.of(key, known)
                    .filter(nearest -> !mapping.entries().containsKey(nearest))
                    .ifPresent(
                        nearest ->
                            problems.error(
                                entry.keyPlace(),
                                "the key " + prefix + Written.of(key) + " is unknown",
                                "you meant " + nearest));
              }
            });
  }
}
