package dev.sluice.contract.file;

import dev.sluice.contract.file.Tree.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.util.Iterator;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.Event.ID;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.UnicodeReader;

/** Pieces of a YAML text of one document. */
final class YamlTokens extends Tokens {
  private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

  private final Reader in;
  private final Iterator<Event> events;
  private @Nullable Event present;
  private boolean began;

  YamlTokens(InputStream in, IntFunction<Place> placeOfLine) {
    this(new UnicodeReader(in), placeOfLine);
  }

  YamlTokens(String text, IntFunction<Place> placeOfLine) {
    this(new StringReader(text), placeOfLine);
  }

  private YamlTokens(Reader in, IntFunction<Place> placeOfLine) {
    super(placeOfLine);
    this.in = in;
    var options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    this.events = new Yaml(options).parse(in).iterator();
  }

  @Override
  Kind next() throws UserMistakeException {
    try {
      while (events.hasNext()) {
        Event event = events.next();
        present = event;
        if (event.is(ID.DocumentStart)) {
          beginDocument();
        }
        Kind kind = kindOf(event);
        if (kind != null) {
          return kind;
        }
      }
      return Kind.END_OF_FILE;
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      String snippet = mark == null ? null : mark.get_snippet();
      throw malformed(
          place(mark == null ? 0 : mark.getLine() + 1),
          "YAML",
          e.getProblem(),
          snippet != null && snippet.contains("\t")
              ? "the tab on that line should be spaces"
              : WRONG_MARK,
          e);
    } catch (YAMLException e) {
      throw e.getCause() instanceof IOException io
          ? unreadable(place(0), io)
          : malformed(place(0), "YAML", e.getMessage(), "another file was meant", e);
    }
  }

  private void beginDocument() throws UserMistakeException {
    if (began) {
      throw new UserMistakeException(
          place(), "this is not YAML (a second document begins here)", "--- should be left out");
    }
    began = true;
  }

  /** Null: the event is of the document, not of a value. */
  private static @Nullable Kind kindOf(Event event) {
    return switch (event.getEventId()) {
      case MappingStart -> Kind.MAPPING;
      case MappingEnd -> Kind.END_OF_MAPPING;
      case SequenceStart -> Kind.LIST;
      case SequenceEnd -> Kind.END_OF_LIST;
      case Scalar -> Kind.SCALAR;
      case Alias -> Kind.ALIAS;
      default -> null;
    };
  }

  @Override
  int line() {
    return present == null ? 0 : present.getStartMark().getLine() + 1;
  }

  @Override
  String text() {
    if (present instanceof ScalarEvent scalar) {
      return scalar.getValue();
    }
    return present instanceof AliasEvent alias ? alias.getAnchor() : "";
  }

  @Override
  boolean isQuoted() {
    return present instanceof ScalarEvent scalar && scalar.getScalarStyle() != ScalarStyle.PLAIN;
  }

  @Override
  boolean isMissing() {
    return present instanceof ScalarEvent scalar
        && !isQuoted()
        && (scalar.getTag() == null
            ? NULLS.contains(scalar.getValue())
            : scalar.getTag().equals(Tag.NULL.getValue()));
  }

  @Override
  @Nullable String anchor() {
    return present instanceof NodeEvent node ? node.getAnchor() : null;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
