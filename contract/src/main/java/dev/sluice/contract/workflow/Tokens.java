package dev.sluice.contract.workflow;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.sluice.contract.file.UserMistakeException;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * A file as the pieces that it is written of, one after the other, so that a large one need not fit
 * into memory. A mapping's keys come as {@link Kind#SCALAR}, each followed by its value.
 */
abstract class Tokens implements Closeable {
  /** What a piece is. */
  enum Kind {
    MAPPING,
    LIST,
    SCALAR,
    /** YAML's repetition of what was named by an anchor. */
    ALIAS,
    END_OF_MAPPING,
    END_OF_LIST,
    END_OF_FILE
  }

  private final Path file;
  private final InputStream in;

  private Tokens(Path file, InputStream in) {
    this.file = file;
    this.in = in;
  }

  /** Of JSON if the file's name ends so, else of YAML. */
  static Tokens of(Path file) throws UserMistakeException {
    if (Files.isDirectory(file)) {
      throw new UserMistakeException(
          file.toString(), "this is a folder, not a file", "one of its files was meant");
    }
    try {
      var in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
      return isJson(file) ? new Json(file, in) : new YamlEvents(file, in);
    } catch (NoSuchFileException e) {
      throw new UserMistakeException(
          file.toString(),
          "the file does not exist",
          "the path is relative to another folder, or --system and --requests name it",
          e);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static boolean isJson(Path file) {
    return file.toString().endsWith(".json");
  }

  /** Goes on to the next piece. */
  abstract Kind next() throws UserMistakeException;

  /** The line on which the present piece begins, from 1. */
  abstract int line();

  /** The present scalar as it is written, or the present alias' name. */
  abstract String text();

  /** Whether the present scalar can only be a text, not a number. */
  abstract boolean isQuoted();

  /** Whether the present scalar stands for nothing. */
  abstract boolean isMissing();

  /** The name by which an alias may repeat the present piece; null: none. */
  abstract @Nullable String anchor();

  @Override
  public void close() throws IOException {
    in.close();
  }

  private static UserMistakeException unreadable(Path file, IOException e) {
    return e instanceof CharacterCodingException
        ? new UserMistakeException(
            file.toString(),
            "the file is not UTF-8 text",
            "it was saved in another encoding, or is no text at all",
            e)
        : new UserMistakeException(
            file.toString(),
            "the file can not be read (" + UserMistakeException.reason(e) + ")",
            "another file was meant",
            e);
  }

  private UserMistakeException malformed(
      String format, int line, @Nullable String reason, Exception cause) {
    return new UserMistakeException(
        line > 0 ? file + ":" + line : file.toString(),
        "this is not %s (%s)".formatted(format, oneLine(reason)),
        "a colon, a quote, a bracket or an indentation is wrong on that line or just above",
        cause);
  }

  private static String oneLine(@Nullable String text) {
    return text == null ? "no reason given" : text.strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  private static final class Json extends Tokens {
    private static final JsonFactory FACTORY =
        JsonFactory.builder()
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // to name the number that is none
            .build();

    private final Path file;
    private final JsonParser parser;

    Json(Path file, InputStream in) throws IOException {
      super(file, in);
      this.file = file;
      this.parser = FACTORY.createParser(in);
    }

    @Override
    Kind next() throws UserMistakeException {
      try {
        JsonToken token = parser.nextToken();
        if (token == null) {
          return Kind.END_OF_FILE;
        }
        return switch (token) {
          case START_OBJECT -> Kind.MAPPING;
          case END_OBJECT -> Kind.END_OF_MAPPING;
          case START_ARRAY -> Kind.LIST;
          case END_ARRAY -> Kind.END_OF_LIST;
          default -> Kind.SCALAR;
        };
      } catch (JsonProcessingException e) {
        int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
        throw super.malformed("JSON", line, e.getOriginalMessage(), e);
      } catch (IOException e) {
        throw unreadable(file, e);
      }
    }

    @Override
    int line() {
      return parser.currentTokenLocation().getLineNr();
    }

    @Override
    String text() {
      try {
        return parser.getText();
      } catch (IOException e) {
        throw new IllegalStateException("a token that was read can not be read", e);
      }
    }

    @Override
    boolean isQuoted() {
      return parser.currentToken() == JsonToken.VALUE_STRING;
    }

    @Override
    boolean isMissing() {
      return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    @Override
    @Nullable String anchor() {
      return null;
    }
  }

  private static final class YamlEvents extends Tokens {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    private final Path file;
    private final Iterator<Event> events;
    private @Nullable Event present;

    YamlEvents(Path file, InputStream in) {
      super(file, in);
      this.file = file;
      var options = new LoaderOptions();
      options.setCodePointLimit(Integer.MAX_VALUE);
      this.events = new Yaml(options).parse(new UnicodeReader(in)).iterator();
    }

    @Override
    Kind next() throws UserMistakeException {
      try {
        while (events.hasNext()) {
          Event event = events.next();
          present = event;
          Kind kind = kindOf(event);
          if (kind != null) {
            return kind;
          }
        }
        return Kind.END_OF_FILE;
      } catch (MarkedYAMLException e) {
        int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
        throw super.malformed("YAML", line, e.getProblem(), e);
      } catch (YAMLException e) {
        throw e.getCause() instanceof IOException io
            ? unreadable(file, io)
            : super.malformed("YAML", 0, e.getMessage(), e);
      }
    }

    /** Null: it is one of the document, not of what it says. */
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
      return !isQuoted() && NULLS.contains(text());
    }

    @Override
    @Nullable String anchor() {
      return present instanceof NodeEvent node ? node.getAnchor() : null;
    }
  }
}
