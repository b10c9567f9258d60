// Tasks with the members that matter to them and the members that clearly do not, judged by hand from the descriptions of the
// members. Members that are not listed are arguable. Weights and rules were corrected where they disagreed with the labels, so that
// the precision of other tasks can be lower. If a fact is told that clearly does not matter, correct the weights or the rules, not the labels.

const DIET = "dietary dietary_restrictions disliked_foods";
const PLACES = "price_range dining_styles disliked_dining_styles favorite_restaurants avoided_restaurants";
const KITCHEN = "cooking_skill kitchen_equipment missing_kitchen_equipment household_size";
const EATING_OUT = `${DIET} cuisines disliked_cuisines favorite_foods spice_tolerance ${PLACES} alcohol`;
const COOKING = `${DIET} cuisines disliked_cuisines favorite_foods spice_tolerance ${KITCHEN} nutrition_goals`;

const AIR = "home_airport cabin_class seat_preference seat_features avoided_seat_features airlines avoided_airlines airline_alliances avoided_airline_alliances max_stops avoid_red_eye meal_request";
const FLYING = "cabin_class seat_preference seat_features avoided_seat_features airlines avoided_airlines airline_alliances avoided_airline_alliances max_stops avoid_red_eye meal_request";
const BEDS = "accommodation_types avoided_accommodation_types hotel_chains avoided_hotel_chains hotel_amenities avoided_hotel_features room";
const HOTELS = "hotel_chains avoided_hotel_chains hotel_amenities avoided_hotel_features room";
const TRIPS = "travel_styles disliked_travel_styles interests avoided_activities pace budget companions";

const TASTES = "favorite_artists genres disliked_genres disliked_artists";
const SONGS = `${TASTES} favorite_songs disliked_songs moods disliked_moods eras disliked_eras lyric_languages avoided_lyric_languages explicit_content discovery`;

const STYLE = "indentation line_length naming_convention comment_style typing error_handling";
const STACK = "languages frameworks avoided_technologies";

const SCREEN = "content_limits maturity screen_genres disliked_screen_genres favorite_people disliked_people known_titles disliked_titles services avoided_services dubbing eras disliked_eras runtime discovery";
const BOOKS = "book_genres disliked_book_genres favorite_books favorite_authors disliked_authors reading_formats avoided_reading_formats";
const GAMES = "game_genres disliked_game_genres favorite_games game_platforms avoided_game_platforms play_styles disliked_play_styles";
const PODCASTS = "podcast_topics disliked_podcast_topics favorite_podcasts";
const FILMS = "screen_genres disliked_screen_genres favorite_movies favorite_shows dubbing eras disliked_eras runtime";

const TRAINING = "fitness_activities disliked_fitness_activities fitness_level fitness_goals rejected_fitness_goals fitness_equipment";
const SHOPPING = "favorite_brands avoided_brands favorite_stores avoided_stores shopping_priorities unimportant_when_shopping price_level";
const CLOTHES = "clothing_styles disliked_clothing_styles clothing_sizes";
const INTERIOR = "interior_styles disliked_interior_styles";
const WORK = "occupation work_place best_time collaboration work_styles disliked_work_styles";
const LEARNING = "learning_topics disliked_subjects learning_methods disliked_learning_methods";
const GIFTS = "wish_list unwanted_gifts";

const QUANTITIES = "units temperature_unit currency";
const TIMES = "clock date_format time_zone";

// [task, domain, members that matter, members that clearly do not, members of the communication profile that clearly do not]
export const LABELS = [
  ["find a restaurant for dinner tonight", "food_profile", EATING_OUT, KITCHEN, "temperature_unit"],
  ["restaurant_search", "food_profile", EATING_OUT, KITCHEN, "temperature_unit"],
  ["where can I get good sushi nearby", "food_profile", EATING_OUT, KITCHEN, "temperature_unit"],
  ["book a table for two at an Italian place", "food_profile", EATING_OUT, KITCHEN, "temperature_unit"],
  ["a cafe with good coffee to sit and read", "food_profile", `${PLACES} caffeine favorite_drinks disliked_drinks`, `${KITCHEN}`, "temperature_unit"],
  ["suggest a recipe for tonight", "food_profile", COOKING, PLACES, `currency ${TIMES}`],
  ["how do I make a vegetable curry", "food_profile", COOKING, PLACES, `currency ${TIMES}`],
  ["chocolate cake recipe", "food_profile", `${DIET} favorite_foods ${KITCHEN}`, `${PLACES} spice_tolerance`, `currency ${TIMES}`],
  ["meal plan for next week", "food_profile", COOKING, PLACES, TIMES],
  ["meal_planning", "food_profile", COOKING, PLACES, TIMES],
  ["make a shopping list for the supermarket", "food_profile", `${DIET} favorite_foods household_size favorite_drinks disliked_drinks`, PLACES, `temperature_unit ${TIMES}`],
  ["order food delivery", "food_profile", `${DIET} cuisines disliked_cuisines favorite_foods spice_tolerance price_range`, KITCHEN, "temperature_unit date_format"],
  ["get lunch delivered to the office", "food_profile", `${DIET} cuisines disliked_cuisines favorite_foods spice_tolerance price_range`, KITCHEN, "temperature_unit date_format"],
  ["what wine goes with roast lamb", "food_profile", "alcohol favorite_drinks disliked_drinks", `${KITCHEN} ${PLACES}`, `temperature_unit ${TIMES}`],

  ["book a flight to Madrid", "travel_profile", `${AIR} loyalty_programs budget companions`, `${BEDS} pace`, "temperature_unit"],
  ["flight_search", "travel_profile", `${AIR} loyalty_programs budget companions`, `${BEDS} pace`, "temperature_unit"],
  ["cheapest way to fly to Tokyo in spring", "travel_profile", `${AIR} loyalty_programs budget companions`, `${BEDS} pace`, "temperature_unit"],
  ["find a hotel in Vienna", "travel_profile", `${BEDS} budget companions loyalty_programs`, `${FLYING} pace`, "temperature_unit"],
  ["hotel_booking", "travel_profile", `${BEDS} budget companions loyalty_programs`, `${FLYING} pace`, "temperature_unit"],
  ["where to stay in Barcelona with two kids", "travel_profile", `${BEDS} budget companions loyalty_programs`, FLYING, "temperature_unit"],
  ["train from Paris to Lyon", "travel_profile", "transport_modes avoided_transport_modes seat_preference cabin_class budget companions", `${HOTELS} airlines avoided_airlines airline_alliances max_stops avoid_red_eye meal_request`, "temperature_unit"],
  ["rent a car at the airport in Faro", "travel_profile", "transport_modes avoided_transport_modes budget companions", `${HOTELS} ${FLYING} pace`, "temperature_unit"],
  ["plan a two week trip through Portugal", "travel_profile", `${TRIPS} accommodation_types avoided_accommodation_types transport_modes avoided_transport_modes home_airport dream_destinations avoided_destinations languages`, "", ""],
  ["trip_planning", "travel_profile", `${TRIPS} accommodation_types avoided_accommodation_types transport_modes avoided_transport_modes home_airport dream_destinations avoided_destinations languages`, "", ""],
  ["where should we go on vacation this summer", "travel_profile", `${TRIPS} dream_destinations avoided_destinations home_airport`, `${HOTELS} seat_preference seat_features meal_request airline_alliances`, "clock date_format"],
  ["things to do in Rome", "travel_profile", "interests avoided_activities pace budget companions languages", `${FLYING} ${HOTELS}`, ""],
  ["museums and walks in Edinburgh for a rainy afternoon", "travel_profile", "interests avoided_activities pace budget companions", `${FLYING} ${HOTELS}`, ""],

  ["recommend new music", "music_preferences", SONGS, "audio_quality", `${QUANTITIES} ${TIMES}`],
  ["songs like the ones I love", "music_preferences", SONGS, "audio_quality", `${QUANTITIES} ${TIMES}`],
  ["find me an album for a long drive", "music_preferences", `${SONGS} favorite_albums disliked_albums activities`, "instruments audio_quality", `${QUANTITIES} ${TIMES}`],
  ["make a playlist for a workout", "music_preferences", `${SONGS} activities streaming_services`, "instruments", `${QUANTITIES} ${TIMES}`],
  ["playlist_creation", "music_preferences", `${SONGS} activities streaming_services`, "instruments", `${QUANTITIES} ${TIMES}`],
  ["concerts in town this weekend", "music_preferences", TASTES, "streaming_services audio_quality", "units temperature_unit"],
  ["concert_search", "music_preferences", TASTES, "streaming_services audio_quality", "units temperature_unit"],
  ["play some music in the kitchen", "music_preferences", `${SONGS} streaming_services`, "instruments", `${QUANTITIES} ${TIMES}`],

  ["write a function that parses a CSV file", "coding_profile", `${STACK} ${STYLE} paradigms avoided_paradigms response_style explanation_detail experience_level`, "cloud_platforms commit_style", `${QUANTITIES} clock`],
  ["code_generation", "coding_profile", `${STACK} ${STYLE} paradigms avoided_paradigms response_style explanation_detail experience_level`, "commit_style", `${QUANTITIES} clock`],
  ["implement a REST endpoint for orders", "coding_profile", `${STACK} ${STYLE} paradigms avoided_paradigms response_style explanation_detail test_policy`, "commit_style", "units temperature_unit clock"],
  ["review this pull request", "coding_profile", `${STACK} ${STYLE} license_restrictions response_style explanation_detail experience_level`, "editors operating_systems cloud_platforms", `${QUANTITIES} clock`],
  ["why does my program crash with a segmentation fault", "coding_profile", `${STACK} operating_systems editors response_style explanation_detail experience_level`, "line_length naming_convention comment_style license_restrictions commit_style cloud_platforms comment_language", `${QUANTITIES} ${TIMES}`],
  ["refactor this class into smaller functions", "coding_profile", `${STACK} ${STYLE} paradigms avoided_paradigms response_style explanation_detail experience_level`, "cloud_platforms operating_systems commit_style editors", `${QUANTITIES} clock`],
  ["explain what this code does", "coding_profile", "languages experience_level response_style explanation_detail role", "license_restrictions indentation line_length naming_convention commit_style cloud_platforms package_managers", `${QUANTITIES} ${TIMES}`],
  ["design the architecture of a chat service", "coding_profile", `${STACK} databases cloud_platforms paradigms avoided_paradigms experience_level license_restrictions`, "indentation line_length naming_convention comment_style commit_style editors", "units temperature_unit clock"],
  ["write unit tests for the parser", "coding_profile", `${STACK} testing_frameworks test_policy indentation response_style`, "cloud_platforms commit_style editors", `${QUANTITIES} clock`],
  ["set up a CI pipeline with Docker", "coding_profile", `${STACK} cloud_platforms operating_systems package_managers testing_frameworks`, "line_length naming_convention paradigms avoided_paradigms comment_language", `${QUANTITIES} clock`],
  ["write a README for my library", "coding_profile", "languages frameworks package_managers comment_language", "editors error_handling line_length naming_convention", `${QUANTITIES} clock`],

  ["what movie should we watch tonight", "media_profile", `${SCREEN} favorite_movies`, `${BOOKS} ${GAMES} ${PODCASTS}`, `${QUANTITIES} ${TIMES}`],
  ["movie_recommendation", "media_profile", `${SCREEN} favorite_movies`, `${BOOKS} ${GAMES} ${PODCASTS}`, `${QUANTITIES} ${TIMES}`],
  ["a new series to watch after dinner", "media_profile", `${SCREEN} favorite_shows`, `${BOOKS} ${GAMES} ${PODCASTS}`, `${QUANTITIES} ${TIMES}`],
  ["recommend a novel for the beach", "media_profile", `${BOOKS} content_limits known_titles disliked_titles media_languages discovery`, `${FILMS} ${GAMES} ${PODCASTS}`, `${QUANTITIES} ${TIMES}`],
  ["book_recommendation", "media_profile", `${BOOKS} content_limits known_titles disliked_titles media_languages discovery`, `${FILMS} ${GAMES} ${PODCASTS}`, `${QUANTITIES} ${TIMES}`],
  ["which video game should I buy next", "media_profile", `${GAMES} content_limits known_titles disliked_titles discovery services`, `${FILMS} ${BOOKS} ${PODCASTS}`, `units temperature_unit ${TIMES}`],
  ["find a podcast about history", "media_profile", `${PODCASTS} content_limits media_languages favorite_people disliked_people`, `${FILMS} ${BOOKS} ${GAMES}`, `${QUANTITIES} ${TIMES}`],

  ["redecorate my bedroom", "lifestyle_profile", `${INTERIOR} home_type household pets colors disliked_colors materials avoided_materials price_level`, `${CLOTHES} ${TRAINING} ${LEARNING} ${GIFTS} best_time collaboration`, `temperature_unit ${TIMES}`],
  ["ideas for a small balcony", "lifestyle_profile", `${INTERIOR} home_type pets colors disliked_colors materials avoided_materials price_level`, `${CLOTHES} ${TRAINING} ${LEARNING} ${GIFTS} collaboration`, `${TIMES}`],
  ["buy a winter jacket", "lifestyle_profile", `${SHOPPING} ${CLOTHES} colors disliked_colors materials avoided_materials`, `${INTERIOR} ${LEARNING} ${WORK} children_ages disliked_animals events disliked_events`, TIMES],
  ["which vacuum cleaner should I buy", "lifestyle_profile", `${SHOPPING} pets home_type`, `${CLOTHES} ${LEARNING} disliked_animals events disliked_events collaboration`, `temperature_unit ${TIMES}`],
  ["a birthday present for me", "lifestyle_profile", `${GIFTS} hobbies disliked_hobbies favorite_brands avoided_brands colors disliked_colors`, "home_type surroundings best_time collaboration work_place fitness_level", `temperature_unit clock time_zone`],
  ["gift_recommendation", "lifestyle_profile", `${GIFTS} hobbies disliked_hobbies favorite_brands avoided_brands`, "surroundings best_time collaboration work_place fitness_level", `temperature_unit clock time_zone`],
  ["training plan for a half marathon", "lifestyle_profile", `${TRAINING} physical_limits best_time`, `${SHOPPING} ${INTERIOR} ${CLOTHES} ${LEARNING} ${GIFTS} children_ages pets disliked_animals colors disliked_colors events`, "currency temperature_unit"],
  ["workout at home without equipment", "lifestyle_profile", `${TRAINING} physical_limits home_type`, `${SHOPPING} ${INTERIOR} ${CLOTHES} ${LEARNING} ${GIFTS} children_ages disliked_animals colors disliked_colors events`, "currency temperature_unit"],
  ["how do I train a puppy", "lifestyle_profile", "pets household home_type children_ages", `${CLOTHES} ${GIFTS} ${WORK} ${TRAINING} colors disliked_colors ${INTERIOR}`, `currency temperature_unit date_format`],
  ["weekend activities with the kids", "lifestyle_profile", "children_ages household hobbies disliked_hobbies events disliked_events", `${SHOPPING} ${CLOTHES} ${INTERIOR} ${WORK} ${GIFTS}`, ""],
  ["plan a birthday party", "lifestyle_profile", "children_ages household events disliked_events hobbies", `${CLOTHES} ${INTERIOR} ${WORK} ${LEARNING} fitness_level fitness_equipment`, ""],
  ["what events are on in town on Saturday", "lifestyle_profile", "events disliked_events hobbies disliked_hobbies", `${SHOPPING} ${CLOTHES} ${INTERIOR} ${GIFTS} home_type work_place`, "units temperature_unit"],
  ["study plan to learn Spanish", "lifestyle_profile", `${LEARNING} best_time`, `${SHOPPING} ${CLOTHES} ${INTERIOR} ${GIFTS} pets disliked_animals colors disliked_colors fitness_equipment`, `${QUANTITIES} clock`],
  ["how can I be more productive at work", "lifestyle_profile", WORK, `${SHOPPING} ${CLOTHES} ${INTERIOR} ${GIFTS} pets disliked_animals colors disliked_colors`, `${QUANTITIES} date_format`],

  ["how should you answer me", "communication_profile", "answer_languages avoided_languages name pronouns form_of_address answer_length tones avoided_tones formats avoided_formats explanation_level", "", ""],
  ["answer_style", "communication_profile", "answer_languages avoided_languages name pronouns form_of_address answer_length tones avoided_tones formats avoided_formats explanation_level", "", ""],
];

const has = (members, name) => members.split(" ").includes(name);

// "right", "wrong", or "open" for a hint in an answer to the task. Undefined for safety and statements, which no member decides,
// and for how the user wants to be answered, unless it clearly does not matter.
export function judge([, domain, matter, not, notSaid], { domain: of, member, tier, carried }) {
  if (tier === 0 || member.tellsEach) return undefined;
  if (of.name === domain) return has(matter, member.name) ? "right" : has(not, member.name) ? "wrong" : "open";
  if (of.always) return has(notSaid, member.name) ? "wrong" : undefined;
  return carried ? undefined : "wrong"; // a diet for religious or medical reasons is about safety
}
