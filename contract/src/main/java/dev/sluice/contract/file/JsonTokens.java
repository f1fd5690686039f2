package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.sluice.contract.file.Tree.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Pieces of a JSON file. */
final class JsonTokens extends Tokens {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // so that messages can name them
          .build();

  private final JsonParser parser;

  JsonTokens(InputStream in, IntFunction<Place> placeOfLine) throws IOException {
    super(placeOfLine);
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
    } catch (IOException e) {
      throw mistake(e);
    }
  }

  /** Jackson decodes a string only here: this is where a bad escape or raw line break shows. */
  @Override
  String text() throws UserMistakeException {
    try {
      return parser.getText();
    } catch (IOException e) {
      throw mistake(e);
    }
  }

  private UserMistakeException mistake(IOException e) {
    if (e instanceof JsonProcessingException malformed) {
      int line = malformed.getLocation() == null ? 0 : malformed.getLocation().getLineNr();
      return malformed(place(line), "JSON", UserMistakeException.reason(e), WRONG_MARK, e);
    }
    return unreadable(place(0), e);
  }

  @Override
  int line() {
    return parser.currentTokenLocation().getLineNr();
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

  @Override
  public void close() throws IOException {
    parser.close(); // and the stream below it
  }
}
