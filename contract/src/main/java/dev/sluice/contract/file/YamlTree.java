package dev.sluice.contract.file;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** YAML text as values that know their lines. Nothing is constructed from tags. */
public final class YamlTree {
  private static final int DEPTH_MAX = 20;
  private static final int VALUES_MAX = 10_000;

  /** A value of the file. */
  public sealed interface Value permits Scalar, Sequence, Mapping {
    Place place();
  }

  /**
   * A text as it was written.
   *
   * @param quoted whether it can only be a text, not a number or a boolean
   * @param missing whether it is YAML's null
   */
  public record Scalar(Place place, String text, boolean quoted, boolean missing)
      implements Value {}

  record Sequence(Place place, List<Value> items) implements Value {}

  /** Its entries can be replaced, by overrides. */
  public record Mapping(Place place, Map<String, Entry> entries) implements Value {}

  public record Entry(Place keyPlace, Value value) {}

  private final Problems problems;
  private final IntFunction<Place> placeOfLine;
  private int values;

  private YamlTree(Problems problems, IntFunction<Place> placeOfLine) {
    this.problems = problems;
    this.placeOfLine = placeOfLine;
  }

  /**
   * The value that a text holds, or null if it holds none. Duplicate keys become problems.
   *
   * @param placeOfLine the place of a line of the text, counted from 1; of line 0 the whole text
   * @throws UserMistakeException if the text is not YAML, or beyond the limits
   */
  public static @Nullable Value parse(
      String text, IntFunction<Place> placeOfLine, Problems problems) throws UserMistakeException {
    var options = new LoaderOptions();
    options.setMaxAliasesForCollections(DEPTH_MAX);
    options.setNestingDepthLimit(DEPTH_MAX);
    try {
      Node node = new Yaml(options).compose(new StringReader(text));
      return node == null ? null : new YamlTree(problems, placeOfLine).value(node, 0);
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
      boolean tab = line > 0 && text.lines().skip(line - 1L).findFirst().orElse("").contains("\t");
      throw new UserMistakeException(
          placeOfLine.apply(line).toString(),
          "this is not YAML (" + oneLine(e.getProblem()) + ")",
          tab
              ? "the tab on that line should be spaces"
              : "a colon, a quote, a bracket or an indentation is wrong on that line or just above");
    } catch (YAMLException e) {
      throw new UserMistakeException(
          placeOfLine.apply(0).toString(),
          "this can not be read as YAML (" + oneLine(e.getMessage()) + ")",
          "it is no experiment file");
    }
  }

  private static String oneLine(@Nullable String text) {
    return text == null ? "no reason given" : text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  private Value value(Node node, int depth) throws UserMistakeException {
    Place place = placeOfLine.apply(node.getStartMark().getLine() + 1);
    if (++values > VALUES_MAX || depth > DEPTH_MAX) {
      throw new UserMistakeException(
          place.toString(),
          values > VALUES_MAX
              ? "the file holds more than " + VALUES_MAX + " values"
              : "values are nested deeper than " + DEPTH_MAX,
          "an alias (*) repeats what need not be repeated");
    }
    if (node instanceof ScalarNode scalar) {
      boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
      return new Scalar(
          place, scalar.getValue(), !plain, plain && scalar.getTag().equals(Tag.NULL));
    }
    if (node instanceof SequenceNode sequence) {
      List<Value> items = new ArrayList<>();
      for (Node item : sequence.getValue()) {
        items.add(value(item, depth + 1));
      }
      return new Sequence(place, items);
    }
    return mapping(place, (MappingNode) node, depth);
  }

  private Mapping mapping(Place place, MappingNode node, int depth) throws UserMistakeException {
    Map<String, Entry> entries = new LinkedHashMap<>();
    for (NodeTuple tuple : node.getValue()) {
      Place keyPlace = placeOfLine.apply(tuple.getKeyNode().getStartMark().getLine() + 1);
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.error(keyPlace, "a key must be a plain name", "a quote is missing");
        continue;
      }
      Value value = value(tuple.getValueNode(), depth + 1);
      Entry earlier = entries.putIfAbsent(key.getValue(), new Entry(keyPlace, value));
      if (earlier != null) {
        problems.error(
            keyPlace,
            "the key "
                + key.getValue()
                + " stands here a second time, first at "
                + earlier.keyPlace(),
            "one of the two is to be removed");
      }
    }
    return new Mapping(place, entries);
  }
}
