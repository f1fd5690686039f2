package dev.sluice.planning.pipeline;

import dev.sluice.contract.file.QuotedText;
import dev.sluice.contract.file.Value;
import dev.sluice.contract.file.Value.Mapping;
import dev.sluice.contract.file.Value.Scalar;
import dev.sluice.contract.file.Value.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** YAML as PipeEdge's profiler writes it: mappings in lines, lists of numbers in brackets. */
final class PlanYaml {
  private static final int WIDTH = 100;

  /** Pattern of texts that need no quotes as a key. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./-]*");

  /** Pattern of texts that had no quotes, and need none in brackets. */
  private static final Pattern BARE = Pattern.compile("[^,\\[\\]{}\\p{Cntrl}]*");

  private final StringBuilder text = new StringBuilder();

  private PlanYaml() {}

  static String text(Mapping content) {
    var yaml = new PlanYaml();
    if (content.entries().isEmpty()) {
      return "{}\n";
    }
    yaml.mapping(content, "", "");
    return yaml.text.toString();
  }

  /**
   * @param first what stands before the first key
   * @param indent what stands before the other keys
   */
  private void mapping(Mapping mapping, String first, String indent) {
    String before = first;
    for (var entry : mapping.entries().entrySet()) {
      String key =
          PLAIN.matcher(entry.getKey()).matches() ? entry.getKey() : QuotedText.of(entry.getKey());
      text.append(before).append(key).append(':');
      value(entry.getValue().value(), indent);
      before = indent;
    }
  }

  private void value(Value value, String indent) {
    if (value instanceof Mapping mapping && !mapping.entries().isEmpty()) {
      text.append('\n');
      mapping(mapping, indent + "  ", indent + "  ");
    } else if (value instanceof Sequence list
        && !list.items().stream().allMatch(Scalar.class::isInstance)) {
      text.append('\n');
      for (Value item : list.items()) {
        if (item instanceof Mapping mapping && !mapping.entries().isEmpty()) {
          mapping(mapping, indent + "- ", indent + "  ");
        } else {
          text.append(indent).append('-');
          value(item, indent + "  ");
        }
      }
    } else {
      String flow = flow(value, indent + "    ");
      text.append(flow.isEmpty() ? "" : " ").append(flow).append('\n');
    }
  }

  private static String flow(Value value, String indent) {
    if (value instanceof Scalar scalar) {
      return scalar.missing() ? "" : text(scalar);
    }
    if (!(value instanceof Sequence list)) {
      return "{}";
    }
    List<String> lines = new ArrayList<>();
    var line = new StringBuilder();
    for (int i = 0; i < list.items().size(); i++) {
      Value item = list.items().get(i);
      String word = item instanceof Scalar s && s.missing() ? "null" : flow(item, indent);
      String written = word + (i + 1 < list.items().size() ? "," : "");
      if (!line.isEmpty() && indent.length() + line.length() + 1 + written.length() > WIDTH) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(written);
    }
    lines.add(line.toString());
    return "[" + String.join("\n" + indent, lines) + "]";
  }

  /** A text in quotes, or a number or word without them that a list in brackets can hold. */
  private static String text(Scalar scalar) {
    return scalar.quoted() || !BARE.matcher(scalar.text()).matches()
        ? QuotedText.of(scalar.text())
        : scalar.text();
  }
}
