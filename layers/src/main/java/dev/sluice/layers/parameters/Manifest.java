package dev.sluice.layers.parameters;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.file.Place;
import dev.sluice.contract.file.Problems;
import dev.sluice.contract.file.Section;
import dev.sluice.contract.file.Tree;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The last whole step of a training.
 *
 * @param settings what determines the training's course, by key; texts without quotes
 * @param step number of steps done
 * @param lossesBytes bytes of the losses of these steps in their file
 * @param layers the layers' files, in the layers' order
 */
record Manifest(Map<String, String> settings, int step, long lossesBytes, List<LayerState> layers) {
  static final String NAME = "manifest.json";

  private static final String VERSION = "1";

  private static final String VERSION_KEY = "sluice_training";
  private static final String NOT_OURS = "another folder was meant";

  /**
   * A layer's file.
   *
   * @param step the step that wrote it
   * @param crc32c checksum of the tensors' bytes, in hex
   */
  record LayerState(String name, int step, String crc32c) {
    String file() {
      return name + "-" + step + ".safetensors";
    }
  }

  byte[] bytes() {
    String settingsText =
        settings.entrySet().stream()
            .map(entry -> "    \"%s\": \"%s\"".formatted(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(",\n"));
    String layersText =
        layers.stream()
            .map(
                layer ->
                    "    {\"name\": \"%s\", \"step\": %d, \"crc32c\": \"%s\"}"
                        .formatted(layer.name(), layer.step(), layer.crc32c()))
            .collect(Collectors.joining(",\n"));
    return """
    {
      "%s": "%s",
      "settings": {
    %s
      },
      "step": %d,
      "losses_bytes": %d,
      "layers": [
    %s
      ]
    }
    """
        .formatted(VERSION_KEY, VERSION, settingsText, step, lossesBytes, layersText)
        .getBytes(UTF_8);
  }

  /**
   * Reads a manifest, which must have these settings and layers.
   *
   * @throws UserMistakeException if it is none, or that of another training
   */
  static Manifest read(Path file, Map<String, String> settings, List<String> layers)
      throws UserMistakeException {
    var problems = new Problems(file.toString());
    Mapping whole;
    try (Tree tree =
        Tree.open(file, "the training has not begun: leave out --resume", Tree.Limits.BY_PROGRAM)) {
      Value value = tree.whole(problems);
      problems.throwIfAny();
      if (!(value instanceof Mapping mapping) || !mapping.entries().containsKey(VERSION_KEY)) {
        throw new UserMistakeException(
            new Place(file.toString(), 0), "this is no manifest of a training", NOT_OURS);
      }
      whole = mapping;
    }
    Section section = Section.lenient("", whole, problems);
    String version = section.requiredText(VERSION_KEY, VERSION);
    if (!version.equals(VERSION)) {
      problems.error(
          section.place(VERSION_KEY),
          "its version (" + version + ") is not " + VERSION,
          "another version of Sluice wrote it");
    }
    Mapping written = section.mapping("settings");
    if (written != null) {
      compare(settings, Section.lenient("settings.", written, problems), problems);
    }
    int step = section.requiredWhole("step", 0, Integer.MAX_VALUE, "20");
    long lossesBytes = section.whole("losses_bytes", 0L, 0, Long.MAX_VALUE);
    List<LayerState> states =
        section.list("layers", List.of(), true, layer -> layer(layer, problems));
    problems.throwIfAny();
    if (!states.stream().map(LayerState::name).toList().equals(layers)) {
      throw new UserMistakeException(
          new Place(file.toString(), 0), "it names other layers than " + layers, NOT_OURS);
    }
    return new Manifest(settings, step, lossesBytes, states);
  }

  private static void compare(Map<String, String> settings, Section written, Problems problems) {
    settings.forEach(
        (key, value) -> {
          String before = written.requiredText(key, value);
          if (written.has(key) && !before.equals(value)) {
            problems.error(
                written.place(key),
                "the folder holds a training with %s (%s), not (%s)".formatted(key, before, value),
                "--out should name another folder, or the options should be those of this"
                    + " training");
          }
        });
  }

  private static @Nullable LayerState layer(Value value, Problems problems) {
    if (!(value instanceof Mapping mapping)) {
      problems.error(value.place(), "a layer must be a mapping", NOT_OURS);
      return null;
    }
    Section layer = Section.lenient("layers.", mapping, problems);
    return new LayerState(
        layer.requiredText("name", "head"),
        layer.requiredWhole("step", 0, Integer.MAX_VALUE, "20"),
        layer.requiredText("crc32c", "0a1b2c3d"));
  }
}
